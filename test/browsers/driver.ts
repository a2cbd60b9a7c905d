/** Settings of a browser for one walk. */
export interface Setting {
  scheme: 'light' | 'dark';
  /** Width of the window in CSS pixels, before zooming. */
  width: number;
  zoom?: number;
  hasForcedColors?: boolean;
}

/** Operations that a walk needs, whatever the protocol. Dispose of it. */
export interface Driver extends AsyncDisposable {
  go(url: string): Promise<void>;
  back(): Promise<void>;
  /** Runs a function in the page, which has access only to its arguments. */
  run<Given extends readonly unknown[], Found>(
    inPage: (...given: Given) => Found,
    ...given: Given
  ): Promise<Found>;
  /** Returns the element that a function finds in the page, or null. */
  find<Given extends readonly unknown[]>(
    inPage: (...given: Given) => Element | null,
    ...given: Given
  ): Promise<Found | null>;
  /** Types a text into the focused element, key by key. */
  type(text: string): Promise<void>;
  press(key: Key, held?: 'Shift'): Promise<void>;
  /** Screenshot as PNG. */
  picture(): Promise<Buffer>;
}

/** An element of the page. */
export interface Found {
  click(): Promise<void>;
  /** Replaces the text of a field. */
  fill(text: string): Promise<void>;
  chooseFile(path: string): Promise<void>;
}

/** Names of keys in DOM events. */
type Key = 'Tab' | 'Enter';

/** A browser in which walks can run. */
export interface Browser {
  name: string;
  /** Packages to install; null if none is missing. */
  missing: string | null;
  start(setting: Setting): Promise<Driver>;
  /** Unsupported features, whose walks are skipped. */
  lacks: readonly ('the keyboard' | 'forced colours')[];
  /** Protocol between browser and site. */
  over: 'http' | 'https';
}
