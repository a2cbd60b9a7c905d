import type { Theme } from '../contract/features/theme.ts';

/** Social image of a page that has no image of its own. */
export interface Card {
  title: string;
  /** Name of the site. */
  name: string;
  font: Theme['font'];
  colours: { paper: string; ink: string; soft: string; accent: string };
}
