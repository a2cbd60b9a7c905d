import { z } from 'zod';
import { documented, titled } from '../documented.ts';

/** Layouts of the public site. */
const lookNames = ['journal', 'studio', 'classroom', 'plain'] as const;

/** Font pairs of the public site: one face for headings and text, one for navigation and captions. */
const fonts = ['editorial', 'modern', 'bold', 'system'] as const;

/** Widths of the text column. */
const widths = ['narrow', 'medium', 'wide'] as const;

/** Widths of the text column as CSS lengths. */
export const textWidths: Record<(typeof widths)[number], string> = {
  narrow: '34rem',
  medium: '38rem',
  wide: '44rem',
};

const schemes = ['auto', 'light', 'dark'] as const;

/** Sections that the home page and the navigation can show. */
const sectionNames = ['posts', 'projects', 'courses', 'talks', 'cv', 'testimonials', 'newsletter'] as const;

export type SectionName = (typeof sectionNames)[number];

const look = documented(z.enum(lookNames), 'Layout and colors of the pages', 'journal');
const accent = documented(
  z
    .string()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, { error: 'must be a color such as #b3412b' }),
  'Accent color of links and buttons, adjusted to be readable in light and dark mode',
  '#b3412b',
);
const font = documented(z.enum(fonts), 'Font pair', 'editorial');
const width = documented(z.enum(widths), 'Width of the text column', 'medium');
const scheme = documented(z.enum(schemes), 'Color scheme; `auto` follows the setting of the device', 'auto');
const sections = documented(
  z
    .array(z.enum(sectionNames))
    .refine((names) => new Set(names).size === names.length, { error: 'must not contain a section twice' }),
  'Sections of the home page and the navigation, in order',
  [...sectionNames],
);

const image = z
  .url({ protocol: /^https?$/, error: 'must be the URL of an image' })
  .max(2_000)
  .nullable();
const logo = documented(
  image,
  'URL of a logo that is shown instead of the name of the site; null for the name',
  'https://ada.example.com/media/mb3k9x2a7f0q1zd/logo.png',
);
const icon = documented(
  image,
  'URL of a square image for browser tabs; null for the first letter of the name',
  'https://ada.example.com/media/mb3k9x2a7f0q1zd/icon.png',
);

/** Theme of the public site. */
export const Theme = titled('Theme', { look, accent, font, width, scheme, sections, logo, icon }).describe(
  'Theme of the public site',
);

export type Theme = z.infer<typeof Theme>;

/** Change of the theme. Omitted fields keep their value. */
export const ThemeChanges = Theme.partial();

type Look = Theme['look'];

/** Initial style of each look. The owner may change it afterwards. */
export const startingStyles: Record<Look, Pick<Theme, 'accent' | 'font' | 'width'>> = {
  journal: { accent: '#b3412b', font: 'editorial', width: 'medium' },
  studio: { accent: '#3346d3', font: 'modern', width: 'medium' },
  classroom: { accent: '#0b7a55', font: 'bold', width: 'medium' },
  plain: { accent: '#1a55b5', font: 'system', width: 'narrow' },
};

/** Theme of a new site. */
export const defaultTheme: Theme = {
  look: 'journal',
  ...startingStyles.journal,
  scheme: 'auto',
  sections: [...sectionNames],
  logo: null,
  icon: null,
};

/** Language of the site's pages (BCP 47). */
export const language = documented(
  z.string().max(35).refine(isLanguage, { error: 'must be a language tag such as en or pt-BR' }),
  'Language of the pages (BCP 47); also sets the date format',
  'en',
);

export const defaultLanguage = 'en';

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
