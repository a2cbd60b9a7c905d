const number = (count: number) => count.toLocaleString();

/** Taking the site out, and bringing things in. */
export const importExport = {
  importExport: {
    title: 'Export and import',
    lead: 'What you wrote is yours: take it with you, or bring it from where it is now.',
    export: {
      title: 'Export',
      lead: 'One archive with all content, drafts and history, media, members, subscribers and purchases. Keep it as you keep a backup: it has your members’ addresses in it. Passwords, keys and webhooks stay here.',
      action: 'Download archive',
      begun: 'Your browser is downloading the archive',
      csv: 'Export as CSV',
      csvBegun: 'Your browser is downloading the list',
    },
    import: {
      title: 'Import',
      lead: 'An archive of another site, an export of Ghost, WordPress, Substack or Medium, a folder of Markdown files with its pictures, or a list of subscribers as CSV. The file is checked first; nothing changes until you have seen what would come of it.',
      file: 'Choose file',
      folder: 'Choose folder',
      fetchMedia: 'Fetch pictures from the old site',
      fetchMediaHint:
        'WordPress, Substack and Medium name pictures by their address. They are asked for there, in the check too. Those of Ghost come along where its file and its folder content/images are in one zip.',
      drop: 'or drop a file here',
      dropNow: 'Drop the file to check it',
      another: 'Choose another',
      largest: (gigabytes: number) =>
        `The file is larger than ${gigabytes} GB. Whoever runs the service can import it: pnpm ops import`,
      noText: 'There is nothing in this folder that can be imported.',
      begin: (count: number) => (count === 1 ? 'Import 1 entry' : `Import ${number(count)} entries`),
      consent: 'Everybody in this list asked for mail from this site',
      consentHint: 'Who did not ask reports mail as spam, and then it stops arriving with those who did.',
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
        ignore: 'This column has nothing to do with mail',
        ignoreHint: 'The other columns decide then.',
        check: 'Check with these answers',
        change: 'Change answers',
      },
      goOn: 'Go on',
      again: 'Check again',
      progress: 'How far it is',
      sending: (share: string) => `Sending the file: ${share}`,
      reading: 'Reading the file…',
      checking: (count: number) => (count === 1 ? '1 entry checked' : `${number(count)} entries checked`),
      importing: (count: number, total: number) => `${number(count)} of ${number(total)} entries`,
      leave: 'You can go on working meanwhile. Keep this tab open until it has ended.',
      broke: 'The connection broke. What has arrived stays here; the same file goes on where it ended.',
      stopped: 'You stopped it. What has arrived stays here; the same file goes on where it ended.',
      checked: 'What would come of it',
      done: 'What came of it',
      nothing: 'There is nothing new in this file.',
      collection: 'What',
      problems: 'What to look at',
      more: (count: number) => `and ${number(count)} more like these`,
      outcomes: { created: 'New', skipped: 'Left out', refused: 'Refused' },
    },
  },
} as const;
