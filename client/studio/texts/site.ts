/** The site and whom it is about. */
export const site = {
  profile: { title: 'Profile', lead: 'Who your site is about.' },
  site: {
    title: 'Settings',
    plan: (plan: string) => `Plan: ${plan}`,
    name: 'Name of the site',
    nameHelp: 'Shown in the studio and on your pages',
    subdomain: 'Subdomain',
    subdomainHelp: 'The label below the service’s own host name',
    domain: 'Your own domain',
    domainHelp: 'Point it at this service first',
    language: 'Language',
    languageHelp: 'Of your pages, such as en or pt-BR: dates are written in it',
    theme: 'Look of the site',
    accent: 'Accent',
    sections: 'Sections',
    sectionsHelp: 'What the home page and the navigation show, in this order',
    preview: 'Your home page with this theme',
  },
} as const;
