import type { Theme } from '../contract/features/theme.ts';
import { type Colours, coloursIn } from '../theme/palettes.ts';

export type MailTheme = Pick<Theme, 'look' | 'accent' | 'font' | 'scheme'>;

/** What mails of a site look like. */
export interface MailStyle extends Colours {
  /** On dark screens; null where the site has one scheme. */
  dark: Colours | null;
  scheme: 'light' | 'dark' | 'light dark';
  /** Fonts that readers have, of headings, of text, of what stands around it, and of code. */
  display: string;
  text: string;
  label: string;
  mono: string;
}

/** The first of each is one that Windows has: Outlook looks no further. */
const serif = "Georgia,'Noto Serif',serif";
const sans = "'Segoe UI',-apple-system,Roboto,Helvetica,Arial,sans-serif";
const mono = 'Consolas,Menlo,monospace';

/** What comes nearest to the faces of each pair, which mail can't bring along. */
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

/** The class by which an element of a mail takes the same colours on dark screens; those of links need none. */
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
