import type { SectionName, Theme } from '../../../shared/contract/features/theme.ts';

export const site = {
  profile: { title: 'Profile', lead: 'The person your site is about.' },
  cv: {
    title: 'CV',
    lead: 'Your work history on the site. Drag to reorder; with the keyboard: space, arrows, space.',
    all: (count: number) => `See all ${count.toLocaleString()}`,
  },
  site: {
    title: 'Design and settings',
    lead: (plan: string) => `Name, domain and design of your site. Plan: ${plan}.`,
    parts: 'On this page',
    basics: 'Name and address',
    name: { label: 'Site name', description: 'Shown in the studio and on your pages' },
    subdomain: {
      label: 'Subdomain',
      description: 'For example, ada for ada.example.com',
    },
    domain: { label: 'Custom domain', description: 'Point the domain’s DNS to this service first' },
    language: {
      label: 'Language',
      description: 'Used for the texts, dates and prices on your pages',
    },
    currency: { label: 'Currency', description: 'Shown with course prices' },
    noCurrency: 'No currency',
    timeZone: {
      label: 'Time zone',
      description: 'For the dates on your pages and in mail, and for schedules here',
    },
    timeZones: { own: 'This device', all: 'All time zones' },
    theme: 'Design',
    look: {
      label: 'Theme',
      description: 'Sets a color, fonts and a width, which you can change below',
    },
    looks: {
      journal: { name: 'Journal', help: 'A magazine for writers' },
      studio: { name: 'Studio', help: 'A gallery: images first' },
      classroom: { name: 'Classroom', help: 'Round and clear, for teachers' },
      plain: { name: 'Plain', help: 'Your text in one column' },
    } satisfies Record<Theme['look'], { name: string; help: string }>,
    accent: {
      label: 'Accent color',
      description: 'For links and buttons. Adjusted automatically if it would be hard to read',
    },
    font: 'Fonts',
    fonts: { editorial: 'Editorial', modern: 'Modern', bold: 'Bold', system: 'System font' },
    width: 'Text width',
    widths: { narrow: 'Narrow', medium: 'Medium', wide: 'Wide' },
    scheme: 'Color scheme',
    schemes: { auto: 'Reader’s preference', light: 'Light', dark: 'Dark' },
    sections: {
      label: 'Sections',
      description: 'On the home page and in the navigation, in this order',
    },
    sectionNames: {
      posts: 'Posts',
      projects: 'Projects',
      courses: 'Courses',
      talks: 'Talks',
      cv: 'CV',
      testimonials: 'Testimonials',
      newsletter: 'Newsletter',
    } satisfies Record<SectionName, string>,
    logo: 'Logo',
    icon: 'Icon for browser tabs',
    pictureHelps: {
      logo: 'At the top of each page, instead of your name',
      icon: 'A small square image; without one, your initial is shown',
    },
    preview: 'Home page with this design',
    newsletter: {
      title: 'Newsletter',
      fromName: {
        label: 'Sender name',
        description: 'Shown to readers; if empty, the name of your site',
      },
      replyTo: {
        label: 'Reply-to address',
        description: 'Your email address; if empty, replies go to the sender address',
      },
      postalAddress: {
        label: 'Postal address',
        description: 'Shown at the end of each newsletter, as many laws require',
      },
      confirm: {
        label: 'Confirmation email',
        description: 'New subscribers confirm by email, so that no one is subscribed by someone else',
      },
      confirms: { usual: 'Default: yes, if mail can be sent', yes: 'Yes', no: 'No' },
    },
  },
  redirects: {
    title: 'Redirects',
    lead: 'Send visitors of old links to new pages.',
    none: 'No redirects yet',
    noneLead:
      'Links to a page’s old path stop working when the page moves. Add a redirect to send visitors to the new page. Imports add redirects automatically.',
    search: 'Find by path',
    add: 'Add redirect',
    edit: 'Edit redirect',
    added: (from: string) => `Redirect from ${from} added`,
    remove: (from: string) => `Delete ${from}?`,
    removeLead: 'Links to this path will no longer work.',
    removed: (from: string) => `Redirect from ${from} deleted`,
    from: {
      label: 'Old path',
      description: 'An unused path of your site, such as /2019/05/types',
    },
    to: 'Target',
    toHelp: 'A path of your site, such as /posts/why-types-pay, or a URL that starts with https://',
    permanent: 'Type',
    kinds: { permanent: 'Permanent', temporary: 'Temporary' },
    kindsHelp: 'Search engines and browsers remember permanent redirects.',
    ofRecord: (what: string) => `Always redirects to the current URL of this ${what}`,
    nowhere: 'Target deleted or not public',
  },
} as const;
