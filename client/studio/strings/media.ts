/** UI strings of media files. */
export const media = {
  media: {
    title: 'Media',
    lead: 'Images, documents, audio and video of your site.',
    upload: 'Upload',
    drop: 'Drop files to upload them',
    none: 'No files yet',
    noneLead: 'Upload images here, or paste or drop them into a text.',
    uploading: (name: string, left: number, share = 0) => {
      // In steps of 10 %, because screen readers announce each change.
      const percent = share >= 0.1 ? `, ${Math.floor(share * 10)}0 %` : '';
      return `Uploading ${name}${percent}${left > 1 ? `, ${left} to go` : ''}…`;
    },
    uploaded: (count: number) => (count === 1 ? 'File uploaded' : `${count} files uploaded`),
    failed: (name: string, reason: string) => `${name}: ${reason}`,
    tooLarge: 'The file is larger than your plan allows.',
    copyAddress: 'Copy URL',
    copied: 'URL copied',
    notCopied: (address: string) => `This browser does not allow copying. The URL is ${address}`,
    open: 'Open',
    pixels: (width: number, height: number) => `${width} × ${height}`,
    bytes: (bytes: number) =>
      bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`,
    remove: (name: string) => `Delete “${name}”?`,
    removeAction: 'Delete file',
    unused: 'This file is not used anywhere. This can’t be undone.',
    used: 'This file is used in the following places and will be missing there. This can’t be undone.',
    looking: 'Checking where it is used…',
    alt: {
      label: 'Alternative text',
      description: 'Describes the image for people who can’t see it. Leave empty for decorative images.',
    },
    caption: { label: 'Caption', description: 'Shown below the image, for example the author or the place.' },
    focus: 'Focal point',
    focusHelp: 'When the image is cropped, this point stays visible. Drag it to the most important part.',
    fromEdge: { x: 'Distance from the left, in percent', y: 'Distance from the top, in percent' },
    altAction: 'Describe',
    describe: (name: string) => `Describe “${name}”`,
    noAlt: 'No alternative text yet.',
    pick: 'Choose an image',
    change: 'Change',
    choose: 'Choose image',
    dropPicture: 'Drop an image here',
    takeAway: 'Remove',
    byAddress: 'Use an image URL',
    addressOf: (label: string) => `${label}: URL`,
    gone: 'This image was deleted. Choose another or remove it.',
    noPictures: 'No images yet',
    noPicturesLead: 'Upload an image. It is stored in Media and can be used in other texts, too.',
    removed: (name: string) => `“${name}” deleted`,
  },
} as const;
