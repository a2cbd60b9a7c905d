/** How a browser is set up for one walk. */
export interface Setting {
  scheme: 'light' | 'dark';
  /** Of the window, before zooming. */
  width: number;
  zoom?: number;
  hasForcedColors?: boolean;
}

/** What a walk needs of a browser, whatever speaks to it. Dispose of it. */
export interface Driver extends AsyncDisposable {
  go(url: string): Promise<void>;
  back(): Promise<void>;
  /** Runs a function in the page, which sees nothing but what it is given. */
  run<Given extends readonly unknown[], Found>(
    inPage: (...given: Given) => Found,
    ...given: Given
  ): Promise<Found>;
  /** The element that a function finds in the page, or null. */
  find<Given extends readonly unknown[]>(
    inPage: (...given: Given) => Element | null,
    ...given: Given
  ): Promise<Found | null>;
  /** Types a text where the focus is, key by key. */
  type(text: string): Promise<void>;
  press(key: Key, held?: 'Shift'): Promise<void>;
  /** What is seen, as PNG. */
  picture(): Promise<Buffer>;
}

/** An element that was found. */
export interface Found {
  click(): Promise<void>;
  /** Puts a text into a field in place of what is there. */
  fill(text: string): Promise<void>;
  chooseFile(path: string): Promise<void>;
}

/** Keys by their names in the browser's events. */
type Key = 'Tab' | 'Enter';

/** A browser that walks can be made in. */
export interface Browser {
  name: string;
  /** What has to be installed for it; null when all is there. */
  missing: string | null;
  start(setting: Setting): Promise<Driver>;
  /** What it can't do, which its walks leave out. */
  lacks: readonly ('the keyboard' | 'forced colours')[];
  /** How it comes to the site. */
  over: 'http' | 'https';
}
