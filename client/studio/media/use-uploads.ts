import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useUpload } from '../data/api.tsx';
import { texts } from '../texts/texts.ts';
import { say, sayReason } from '../ui/toast.tsx';
import { wordsForUpload } from './upload.ts';

/** Uploads files one after the other, and tells how it goes. */
export function useUploads() {
  const upload = useUpload();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<string | null>(null);
  const start = async (files: readonly File[]) => {
    let done = 0;
    for (const [at, file] of files.entries()) {
      setProgress(texts.media.uploading(file.name, files.length - at));
      try {
        await upload(file);
        done += 1;
      } catch (error) {
        sayReason(texts.media.failed(file.name, wordsForUpload(error)));
      }
    }
    setProgress(null);
    await queries.invalidateQueries({ queryKey: ['media'] });
    if (done > 0) say(texts.media.uploaded(done));
  };
  return { progress, start: (files: readonly File[]) => void (files.length > 0 && start(files)) };
}
