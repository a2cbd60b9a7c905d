import type { SectionName, Theme } from '../../../shared/contract/features/theme.ts';

/** The site and whom it is about. */
export const site = {
  profile: { title: 'Profile', lead: 'Who your site is about.' },
  cv: {
    title: 'CV',
    lead: 'What your site says of your work. Drag to put it in order; with the keyboard: space, arrows, space.',
    all: (count: number) => `See all ${count.toLocaleString()}`,
  },
  site: {
    title: 'Look and settings',
    lead: (plan: string) => `What your site is called, where it is found, and how it looks. Plan: ${plan}.`,
    parts: 'On this page',
    basics: 'Name and address',
    name: { label: 'Name of the site', description: 'Shown in the studio and on your pages' },
    subdomain: {
      label: 'Address on this service',
      description: 'The first part of it: ada for ada.example.com',
    },
    domain: { label: 'Your own domain', description: 'Have whoever sold it to you point it here first' },
    language: {
      label: 'Which language do you write in?',
      description: 'Dates and prices on your pages are written as it does',
    },
    currency: { label: 'What are your prices in?', description: 'Shown with the price of a course' },
    noCurrency: 'Numbers alone, no currency',
    timeZone: {
      label: 'Time zone',
      description: 'For the dates on your pages and in mail, and for schedules here',
    },
    timeZones: { own: 'This device', all: 'All time zones' },
    theme: 'Look of the site',
    look: {
      label: 'What should your site look like?',
      description: 'Each brings a colour, letters and a width, which you can change below',
    },
    looks: {
      journal: { name: 'Journal', help: 'A magazine for those who write' },
      studio: { name: 'Studio', help: 'A gallery: your pictures first' },
      classroom: { name: 'Classroom', help: 'Round and clear, for those who teach' },
      plain: { name: 'Plain', help: 'Your words in one column' },
    } satisfies Record<Theme['look'], { name: string; help: string }>,
    accent: {
      label: 'Colour of links and buttons',
      description: 'Made lighter or darker where it could not be read',
    },
    font: 'Letters',
    fonts: { editorial: 'Editorial', modern: 'Modern', bold: 'Bold', system: 'The reader’s own' },
    width: 'Width of the text',
    widths: { narrow: 'Narrow', medium: 'Medium', wide: 'Wide' },
    scheme: 'Light or dark',
    schemes: { auto: 'As the reader likes it', light: 'Light', dark: 'Dark' },
    sections: {
      label: 'What does your site show?',
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
    logo: 'Do you have a logo?',
    icon: 'Which picture do browser tabs show?',
    pictureHelps: {
      logo: 'At the top of each page, in place of your name',
      icon: 'A small square; without one your initial is drawn',
    },
    preview: 'Your home page with this look',
    newsletter: {
      title: 'Newsletter',
      fromName: {
        label: 'Who is it from?',
        description: 'The name that readers see; left empty it is that of your site',
      },
      replyTo: {
        label: 'Where do answers go?',
        description: 'An e-mail address of yours; left empty they go where the newsletter came from',
      },
      postalAddress: {
        label: 'Where do letters on paper reach you?',
        description: 'At the end of each newsletter, since many laws want it',
      },
      confirm: {
        label: 'Are new subscribers asked to confirm?',
        description: 'By a mail, so that nobody is subscribed by somebody else',
      },
      confirms: { usual: 'As usual: yes, where mail can be sent', yes: 'Yes', no: 'No' },
    },
  },
  redirects: {
    title: 'Old addresses',
    lead: 'Where visitors are led who follow an old link.',
    none: 'No old addresses yet',
    noneLead:
      'When something moves, links to its old address end nowhere. Add it here, and whoever follows one comes to the new place. An import does so by itself.',
    search: 'Find by address',
    add: 'Add old address',
    edit: 'Edit old address',
    added: (from: string) => `${from} leads on from now on`,
    remove: (from: string) => `Delete ${from}?`,
    removeLead: 'Whoever follows a link to this address will find nothing there.',
    removed: (from: string) => `${from} leads nowhere any more`,
    from: {
      label: 'Old address',
      description: 'A path of your site that nothing else stands at, such as /2019/05/types',
    },
    to: 'Leads to',
    toHelp: 'A path of your site, such as /posts/why-types-pay, or an address that begins with https://',
    permanent: 'For how long',
    kinds: { permanent: 'For good', temporary: 'For now' },
    kindsHelp: 'Search engines and browsers remember an address that has moved for good.',
    ofRecord: (what: string) => `Follows this ${what} wherever it moves`,
    nowhere: 'What it leads to is gone, or not public',
  },
} as const;
