import { createSafeContext } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { BrowserStorage } from '../ui/browser-storage.ts';
import { useHeld } from '../ui/leaving.tsx';
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
interface FormServices {
  /** Belongs to who is signed in. */
  storage: BrowserStorage;
  upload: Upload;
  /** Gives a text in Markdown as the site will show it; plain when it is too costly to render. */
  preview(content: string, signal: AbortSignal): Promise<Previewed>;
}

export const [FormServicesProvider, useFormServices] = createSafeContext<FormServices>(
  'no FormServicesProvider above',
);

interface Uploading {
  /** Whether files are on their way into a text of the form. */
  isUploading: boolean;
  /** To be given work that uploads files. */
  during(work: Promise<unknown>): void;
}

const [UploadingContext, useUploading] = createSafeContext<Uploading>('no UploadingScope above');

export { useUploading };

/** Around a form with texts that files are put into. */
export function UploadingScope({ children }: { children: ReactNode }) {
  const [count, setCount] = useState(0);
  const isUploading = count > 0;
  useHeld(isUploading ? 'uploading' : null);
  const during = useCallback((work: Promise<unknown>) => {
    setCount((current) => current + 1);
    void work.finally(() => setCount((current) => current - 1));
  }, []);
  const uploading = useMemo(() => ({ isUploading, during }), [isUploading, during]);
  return <UploadingContext value={uploading}>{children}</UploadingContext>;
}
