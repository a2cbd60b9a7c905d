/** Files of the site. */
export const media = {
  media: {
    title: 'Media',
    lead: 'Images, documents, audio and video of your site.',
    upload: 'Upload',
    drop: 'Drop files to upload them',
    none: 'No files yet',
    noneLead: 'Upload pictures here, or paste and drop them into a text as you write it.',
    uploading: (name: string, left: number) =>
      left > 1 ? `Uploading ${name}, ${left} to go…` : `Uploading ${name}…`,
    uploaded: (count: number) => (count === 1 ? 'The file is uploaded' : `${count} files are uploaded`),
    failed: (name: string, reason: string) => `${name}: ${reason}`,
    tooLarge: 'The file is larger than your plan takes.',
    copyAddress: 'Copy address',
    copied: 'The address is copied',
    notCopied: (address: string) => `This browser doesn’t let it be copied from here. It is ${address}`,
    open: 'Open',
    pixels: (width: number, height: number) => `${width} × ${height}`,
    bytes: (bytes: number) =>
      bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`,
    remove: (name: string) => `Delete “${name}”?`,
    removeAction: 'Delete file',
    unused: 'It is not used anywhere. This can’t be undone.',
    used: 'It is used here, and will be missing there. This can’t be undone.',
    looking: 'Looking where it is used…',
    removed: (name: string) => `“${name}” is deleted`,
  },
} as const;
