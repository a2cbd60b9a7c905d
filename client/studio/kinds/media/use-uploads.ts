import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useUpload } from '../../data/api.tsx';
import { type UploadedFile, wordsForUpload } from '../../forms/upload.ts';
import { texts } from '../../texts/texts.ts';
import { toast, toastReason } from '../../ui/toast.tsx';

/** Uploads files one after the other, and tells how it goes. */
export function useUploads() {
  const upload = useUpload();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<string | null>(null);
  /** Gives those that have arrived. */
  const start = async (files: readonly File[]): Promise<UploadedFile[]> => {
    const done: UploadedFile[] = [];
    for (const [at, file] of files.entries()) {
      const show = (share: number) => setProgress(texts.media.uploading(file.name, files.length - at, share));
      show(0);
      try {
        done.push(await upload(file, show));
      } catch (error) {
        toastReason(texts.media.failed(file.name, wordsForUpload(error)));
      }
    }
    setProgress(null);
    if (files.length > 0) await queries.invalidateQueries({ queryKey: ['media'] });
    if (done.length > 0) toast(texts.media.uploaded(done.length));
    return done;
  };
  return { progress, start };
}
