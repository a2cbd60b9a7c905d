/** Line of composition that contains this text, with the block that it opens; or only a word of a line. */
export type Line = string | { word: string };

/** Files of a feature, and the lines elsewhere that name it. */
export interface Feature {
  /** Folders that belong to this feature alone. */
  folders: readonly string[];
  /** Lines that name the feature, by their files. */
  composition: Readonly<Record<string, readonly Line[]>>;
}

/**
 * Features that can be removed. Their tables and their names in the contract stay, so that stored and logged data
 * remain readable.
 */
export const removable = {
  testimonials: {
    folders: [
      'server/audience/testimonials',
      'server/site/views/testimonials.ts',
      'server/demo/testimonials.ts',
      'client/studio/screens/overview/pending-testimonials.tsx',
      'client/studio/screens/testimonials',
    ],
    composition: {
      'server/api/router/features.ts': ['audience/testimonials/', '  testimonials,'],
      'server/site/pages.ts': ['views/testimonials.ts', 'sitePaths.testimonials'],
      'server/site/forms/serve-forms.ts': ['views/testimonials.ts', { word: 'testimonialForm, ' }],
      'server/site/views/home.ts': ['./testimonials.ts', "case 'testimonials'"],
      'server/site/views/layout.ts': ["has(site, 'testimonials')"],
      'server/demo/fill.ts': ['./testimonials.ts', 'fillTestimonials('],
      'client/studio/app/router.tsx': ["screen('/testimonials'"],
      'client/studio/app/navigation.ts': ["'/testimonials'"],
      'client/studio/screens/overview/tasks.tsx': [
        './pending-testimonials.tsx',
        'useWaitingTestimonials()',
        '<WaitingTestimonials',
        { word: 'unheard, ' },
      ],
      'client/studio/strings/site.ts': ["testimonials: 'Testimonials'"],
      'shared/contract/features/theme.ts': [{ word: "'testimonials', " }],
    },
  },
  analytics: {
    folders: [
      'server/audience/analytics',
      'server/demo/views.ts',
      'worker/jobs/roll-up.ts',
      'client/studio/screens/analytics',
      'client/studio/screens/overview/last-post.tsx',
      'client/studio/screens/overview/visits.tsx',
    ],
    composition: {
      'server/api/router/features.ts': ['audience/analytics/', '  analytics,'],
      'server/start/compose.ts': [
        'analytics/tracker.ts',
        'analytics/view-counts.ts',
        'tracker: createTracker(',
        'viewCounts: createViewCounts(',
      ],
      'server/site/count-views.ts': ['deps.tracker.track('],
      'server/demo/fill.ts': ['analytics/store-views.ts', './views.ts', 'insertViews('],
      'worker/tasks.ts': ['jobs/roll-up.ts', 'roll_up_views:'],
      'client/studio/screens/overview/overview-page.tsx': [
        './last-post.tsx',
        './visits.tsx',
        '<LastPost />',
        '<Visits />',
      ],
      'client/studio/app/router.tsx': ["screen('/analytics'"],
      'client/studio/app/navigation.ts': ["'/analytics'"],
      'shared/db/jobs.ts': ['roll_up_views: {'],
    },
  },
  'import-export': {
    folders: [
      'server/transfer',
      'server/api/access/transfer-tickets.ts',
      'server/threads/imports.ts',
      'server/http/studio/serve-transfers.ts',
      'server/cli/import-export.ts',
      'client/studio/screens/import-export',
      'client/studio/records/list/export-button.tsx',
    ],
    composition: {
      'server/api/router/features.ts': ['transfer/procedures.ts', '  importExport,'],
      'server/audience/subscribers/subscriber-procedures.ts': [
        'access/transfer-tickets.ts',
        "toExport('subscribers')",
      ],
      'server/audience/members/procedures.ts': ['access/transfer-tickets.ts', "toExport('members')"],
      'client/studio/screens/audience/subscribers-page.tsx': ['list/export-button.tsx', '<ExportButton '],
      'client/studio/screens/audience/members-page.tsx': ['list/export-button.tsx', '<ExportButton '],
      'server/start/compose.ts': ['transfer/transfers.ts', 'transfers: createTransfers('],
      'server/api/thread-pool.ts': [{ word: " | 'imports'" }],
      'server/threads/thread-pool.ts': ["imports: createPool('imports'"],
      'server/threads/thread.ts': ["import('./imports.ts')"],
      'server/start/app.ts': ['studio/serve-transfers.ts', 'serveTransfers('],
      'server/cli/program.ts': ['./import-export.ts', 'addImportExport('],
      'client/studio/app/router.tsx': ["screen('/import-export'"],
      'client/studio/app/navigation.ts': ["'/import-export'"],
      'client/studio/app/studio.tsx': [
        'import-export/imports.ts',
        'const imports = createImports(',
        '<ImportsProvider',
        '</ImportsProvider>',
      ],
      'client/studio/app/account-menu.tsx': [
        'import-export/imports.ts',
        'useImports()',
        "'importing'",
        'useImports()',
        "'importing'",
      ],
    },
  },
} as const satisfies Record<string, Feature>;
