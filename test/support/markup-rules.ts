import type { ConfigData } from 'html-validate';

/** Rules for the markup of the site's pages. */
export const markupRules: ConfigData = {
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    // Matters of style that the standard leaves open.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // `role="list"` restores list semantics, which Safari removes from lists without bullets.
    'no-redundant-role': 'off',
  },
};
