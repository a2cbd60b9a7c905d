import { Button, FileButton } from '@mantine/core';
import { useRef } from 'react';
import { texts } from '../../texts/texts.ts';
import { IconUpload } from '../../ui/icons.ts';

interface UploadButtonProps {
  isUploading: boolean;
  /** Takes one picture, in place of any files. */
  isPicture?: boolean;
  onFiles(files: File[]): void;
}

/** Asks for files of the device. */
export function UploadButton({ isUploading, isPicture = false, onFiles }: UploadButtonProps) {
  const forgetChoice = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      {...(isPicture && { accept: 'image/*' })}
      resetRef={forgetChoice}
      onChange={(files) => {
        // Or the same file could not be chosen again.
        forgetChoice.current?.();
        onFiles(isPicture ? files.slice(0, 1) : files);
      }}
    >
      {(props) => (
        <Button
          {...props}
          {...(isPicture && { variant: 'default', size: 'xs' })}
          leftSection={<IconUpload size={isPicture ? 14 : 16} />}
          loading={isUploading}
        >
          {texts.media.upload}
        </Button>
      )}
    </FileButton>
  );
}
