import { z } from 'zod';

/** Font pairs of the public site: one face for headings and text, one for what surrounds them. */
const fonts = ['editorial', 'modern', 'bold', 'system'] as const;

/** How wide the column of text is. */
const widths = ['narrow', 'medium', 'wide'] as const;

const schemes = ['auto', 'light', 'dark'] as const;

/** What the home page and the navigation can show. */
const sectionNames = ['posts', 'projects', 'courses', 'talks', 'cv', 'testimonials', 'newsletter'] as const;

export type SectionName = (typeof sectionNames)[number];

const accent = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, { error: 'Expected a colour such as #b3412b' })
  .meta({ description: 'Colour of links and marks, made readable in both schemes', examples: ['#b3412b'] });
const font = z.enum(fonts).meta({ description: 'Font pair', examples: ['editorial'] });
const width = z.enum(widths).meta({ description: 'Width of the text', examples: ['medium'] });
const scheme = z
  .enum(schemes)
  .meta({ description: 'Light, dark, or as the reader’s device says', examples: ['auto'] });
const sections = z
  .array(z.enum(sectionNames))
  .refine((names) => new Set(names).size === names.length, { error: 'Expected each section once' })
  .meta({ description: 'Sections that are shown, in their order', examples: [[...sectionNames]] });

/** How the public site looks. */
export const Theme = z
  .strictObject({ accent, font, width, scheme, sections })
  .meta({ title: 'Theme', description: 'How the public site looks' });

export type Theme = z.infer<typeof Theme>;

/** What a change of the theme names; the rest stays. */
export const ThemeChanges = Theme.partial();

export const defaultTheme: Theme = {
  accent: '#b3412b',
  font: 'editorial',
  width: 'medium',
  scheme: 'auto',
  sections: [...sectionNames],
};

/** Language of the site's pages: BCP 47. */
export const language = z
  .string()
  .max(35)
  .refine(isLanguage, { error: 'Expected a language tag such as en or pt-BR' })
  .meta({ description: 'Language of the pages: dates are written in it', examples: ['en'] });

export const defaultLanguage = 'en';

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
