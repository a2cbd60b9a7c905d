/** Files of the site. */
export const media = {
  media: {
    title: 'Media',
    lead: 'Images, documents, audio and video of your site.',
    upload: 'Upload',
    drop: 'Drop files to upload them',
    none: 'No files yet',
    noneLead: 'Upload pictures here, or paste and drop them into a text as you write it.',
    uploading: (name: string, left: number, share = 0) => {
      // In steps, since each is read out.
      const percent = share >= 0.1 ? `, ${Math.floor(share * 10)}0 %` : '';
      return `Uploading ${name}${percent}${left > 1 ? `, ${left} to go` : ''}…`;
    },
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
    alt: {
      label: 'What it shows',
      description: 'In words, for those who do not see it. Empty for a picture that only decorates.',
    },
    caption: { label: 'Caption', description: 'Read below it by everybody: who made it, or where it was.' },
    focus: 'What stays in sight',
    focusHelp: 'Where it is cut off to fit, this point stays. Drag it to what matters.',
    fromEdge: { x: 'How far from the left, in percent', y: 'How far from the top, in percent' },
    altAction: 'Describe',
    describe: (name: string) => `Describe “${name}”`,
    noAlt: 'Nobody has said what it shows yet.',
    pick: 'Choose a picture',
    change: 'Change',
    choose: 'Choose picture',
    dropPicture: 'Drop a picture here',
    takeAway: 'Remove',
    byAddress: 'Take one from another site',
    addressOf: (label: string) => `${label}: its address`,
    gone: 'This picture was deleted. Choose another, or take it away.',
    noPictures: 'No pictures yet',
    noPicturesLead: 'Upload one: it is kept among your media, for any other text, too.',
    removed: (name: string) => `“${name}” is deleted`,
  },
} as const;
