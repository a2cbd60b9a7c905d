import { createSafeContext } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { BrowserStorage } from '../ui/browser-storage.ts';
import { useHeld } from '../ui/leave-guard.tsx';
import type { Upload } from './upload.ts';

/** A rendered text as safe HTML, with the styles and attributes of the site's page around it. */
export interface PreviewValues {
  html: string;
  is_plain: boolean;
  css: string;
  dir: 'ltr' | 'rtl';
  language: string;
  scheme: string;
}

/** Dependencies of forms: storage, uploads and previews. */
interface FormServices {
  storage: BrowserStorage;
  upload: Upload;
  /** Renders Markdown as the site does. `is_plain` is true if the text was too costly to render. */
  preview(content: string, signal: AbortSignal): Promise<PreviewValues>;
}

export const [FormServicesProvider, useFormServices] = createSafeContext<FormServices>(
  'no FormServicesProvider above',
);

interface Uploading {
  /** True while files are uploading into a text of the form. */
  isUploading: boolean;
  /** Counts an upload until the promise settles. */
  during(work: Promise<unknown>): void;
}

const [UploadingContext, useUploading] = createSafeContext<Uploading>('no UploadingScope above');

export { useUploading };

/** Scope of a form whose texts accept files. Leaving it while files are uploading asks for confirmation. */
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
