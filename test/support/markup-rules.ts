import type { ConfigData } from 'html-validate';

/** What pages of the site are held to. */
export const markupRules: ConfigData = {
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    // Matters of taste that the standard leaves open.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // `role="list"` gives back to screen readers what Safari takes from a list without bullets.
    'no-redundant-role': 'off',
  },
};
