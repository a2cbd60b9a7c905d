import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useUpload } from '../../data/api.tsx';
import { messageForUpload, type UploadedFile } from '../../forms/upload.ts';
import { strings } from '../../strings/ui-strings.ts';
import { toast, toastReason } from '../../ui/toast.tsx';

interface UploadButtonProps {
  isUploading: boolean;
  /** Accepts a single image instead of any files. */
  isImage?: boolean;
  onFiles(files: File[]): void;
}

/** Button that opens the file dialog. */
export function UploadButton({ isUploading, isImage = false, onFiles }: UploadButtonProps) {
  const forgetChoice = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      {...(isImage && { accept: 'image/*' })}
      resetRef={forgetChoice}
      onChange={(files) => {
        // Reset the input, or the same file could not be chosen again.
        forgetChoice.current?.();
        onFiles(isImage ? files.slice(0, 1) : files);
      }}
    >
      {(props) => (
        <Button
          {...props}
          {...(isImage && { variant: 'default', size: 'xs' })}
          leftSection={<IconUpload size={isImage ? 14 : 16} />}
          loading={isUploading}
        >
          {strings.media.upload}
        </Button>
      )}
    </FileButton>
  );
}

/**
 * Returns `progress`, the progress of a running upload as text, or null, and `start`, which uploads files one after
 * the other.
 */
export function useUploads() {
  const upload = useUpload();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<string | null>(null);
  /** Returns the files that were uploaded. Failures are reported in toasts. */
  const start = async (files: readonly File[]): Promise<UploadedFile[]> => {
    const done: UploadedFile[] = [];
    for (const [at, file] of files.entries()) {
      const show = (share: number) =>
        setProgress(strings.media.uploading(file.name, files.length - at, share));
      show(0);
      try {
        done.push(await upload(file, show));
      } catch (error) {
        toastReason(strings.media.failed(file.name, messageForUpload(error)));
      }
    }
    setProgress(null);
    if (files.length > 0) await queries.invalidateQueries({ queryKey: ['media'] });
    if (done.length > 0) toast(strings.media.uploaded(done.length));
    return done;
  };
  return { progress, start };
}
