import { createSafeContext } from '@mantine/core';
import type { BrowserStorage } from '../ui/browser-storage.ts';
import type { Upload } from './upload.ts';

/** A text as safe HTML, and what a page of the site has around it. */
export interface Previewed {
  html: string;
  is_plain: boolean;
  css: string;
  dir: 'ltr' | 'rtl';
  language: string;
  scheme: string;
}

/** What forms need of the service and of the browser; whoever shows them provides it. */
export interface FormServices {
  /** Belongs to who is signed in. */
  storage: BrowserStorage;
  upload: Upload;
  /** Gives a text in Markdown as the site will show it; plain when it is too costly to render. */
  preview(content: string, signal: AbortSignal): Promise<Previewed>;
}

export const [FormServicesProvider, useFormServices] = createSafeContext<FormServices>(
  'no FormServicesProvider above',
);
