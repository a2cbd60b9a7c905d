import type { Theme } from '../contract/features/theme.ts';
import { type Colours, coloursIn } from '../theme/palettes.ts';

export type MailTheme = Pick<Theme, 'look' | 'accent' | 'font' | 'scheme'>;

/** Design of a site's emails. */
export interface MailStyle extends Colours {
  /** Colors on dark screens; null if the site has one color scheme. */
  dark: Colours | null;
  scheme: 'light' | 'dark' | 'light dark';
  /** Font families that readers have installed: headings, text, labels, code. */
  display: string;
  text: string;
  label: string;
  mono: string;
}

/** Font stacks. The first font is one that Windows has, because Outlook reads only the first. */
const serif = "Georgia,'Noto Serif',serif";
const sans = "'Segoe UI',-apple-system,Roboto,Helvetica,Arial,sans-serif";
const mono = 'Consolas,Menlo,monospace';

/** Installed fonts that are closest to each font pair of sites. Emails cannot include fonts. */
const faces: Record<Theme['font'], Pick<MailStyle, 'display' | 'text' | 'label'>> = {
  editorial: { display: serif, text: serif, label: sans },
  modern: { display: sans, text: sans, label: sans },
  bold: { display: sans, text: serif, label: sans },
  system: { display: serif, text: serif, label: sans },
};

export const mailStyle = (theme: MailTheme): MailStyle => ({
  ...coloursIn(theme.scheme === 'dark' ? 'dark' : 'light', theme),
  dark: theme.scheme === 'auto' ? coloursIn('dark', theme) : null,
  scheme: theme.scheme === 'auto' ? 'light dark' : theme.scheme,
  ...faces[theme.font],
  mono,
});

/**
 * Returns the style sheet that switches colors on dark screens, by class; empty if the site has one color scheme.
 * Links need no class.
 */
export const darkSheet = ({ dark }: MailStyle): string =>
  dark
    ? `@media (prefers-color-scheme:dark){
.paper{background-color:${dark.paper}!important;color:${dark.ink}!important}
.raised{background-color:${dark.raised}!important}
.line{border-color:${dark.line}!important}
.accent{border-color:${dark.accent}!important}
.soft{color:${dark.soft}!important}
a{color:${dark.accent}!important}
a.ink{color:${dark.ink}!important}
.button{background-color:${dark.accent}!important}
a.on{color:${dark.paper}!important}
${codeNames.map((name) => `.${name}{color:${dark[name]}!important}`).join('\n')}
}`
    : '';

export const codeNames = ['keyword', 'string', 'number', 'comment', 'title'] as const;
