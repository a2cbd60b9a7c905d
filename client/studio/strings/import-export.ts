const number = (count: number) => count.toLocaleString();

/** UI strings of exports and imports. */
export const importExport = {
  importExport: {
    title: 'Export and import',
    lead: 'Download your site, or import content from another system.',
    export: {
      title: 'Export',
      lead: 'One archive with all content, drafts, history, media, members, subscribers and purchases. It contains members’ addresses: protect it like a backup. Passwords, keys and webhooks are not included.',
      action: 'Download archive',
      begun: 'Your browser is downloading the archive',
      csv: 'Export as CSV',
      csvBegun: 'Your browser is downloading the list',
    },
    import: {
      title: 'Import',
      lead: 'An archive of another site, an export from Ghost, WordPress, Substack or Medium, a folder of Markdown files with images, or a CSV list of subscribers. The file is checked first; nothing changes until you confirm.',
      file: 'Choose file',
      folder: 'Choose folder',
      fetchMedia: 'Download images from the old site',
      fetchMediaHint:
        'WordPress, Substack and Medium exports contain only the URLs of images. The images are downloaded from there, also during the check. For Ghost, put its file and the folder content/images into one zip.',
      drop: 'or drop a file here',
      dropNow: 'Drop to check the file',
      another: 'Choose another file',
      largest: (gigabytes: number) =>
        `The file is larger than ${gigabytes} GB. Ask the operator to import it with: pnpm ops import`,
      noText: 'This folder contains nothing to import.',
      begin: (count: number) => (count === 1 ? 'Import 1 entry' : `Import ${number(count)} entries`),
      consent: 'Everyone in this list agreed to receive mail from this site',
      consentHint: 'People who did not agree report mail as spam, and then it stops reaching those who did.',
      mode: 'Posts and pages',
      modes: {
        'as-marked': {
          label: 'Keep what is public',
          description: 'Public posts and pages stay public. All others become drafts.',
        },
        drafts: {
          label: 'Import all as drafts',
          description: 'Nothing is public or scheduled until you publish it.',
        },
      },
      questions: {
        lead: 'This list has columns that may say who wants your mail. Tick the values of people who asked for it. People with any other value are left out.',
        column: (name: string) => `Column “${name}”`,
        which: 'Who may get your newsletter?',
        empty: 'No value',
        more: 'The column has more values than these. People with one of them are left out.',
        ignore: 'Ignore this column',
        ignoreHint: 'It does not say who wants your mail. The other columns decide.',
        check: 'Check with these answers',
        change: 'Change answers',
      },
      goOn: 'Continue',
      again: 'Check again',
      progress: 'Progress',
      sending: (share: string) => `Sending the file: ${share}`,
      reading: 'Reading the file…',
      checking: (count: number) => (count === 1 ? '1 entry checked' : `${number(count)} entries checked`),
      importing: (count: number, total: number) => `${number(count)} of ${number(total)} entries`,
      leave: 'You can continue working. Keep this tab open until the import is done.',
      broke: 'The connection was lost. Imported content stays; import the same file again to continue.',
      stopped: 'Import stopped. Imported content stays; import the same file again to continue.',
      checked: 'Preview of the import',
      done: 'Result',
      nothing: 'This file contains nothing new.',
      collection: 'Item',
      problems: 'Notes',
      more: (count: number) => `and ${number(count)} similar ones`,
      outcomes: { created: 'New', skipped: 'Skipped', refused: 'Refused' },
    },
  },
} as const;
