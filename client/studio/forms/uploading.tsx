import { createSafeContext } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useHeld } from '../ui/leaving.tsx';

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
