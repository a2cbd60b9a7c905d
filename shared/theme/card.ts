import type { Theme } from '../contract/features/theme.ts';

/** A picture for where a page is shared that has none of its own. */
export interface Card {
  title: string;
  /** Whose site it is. */
  name: string;
  font: Theme['font'];
  colours: { paper: string; ink: string; soft: string; accent: string };
}
