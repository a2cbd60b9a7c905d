const tags =
  'ar bg bn ca cs da de de-AT de-CH el en en-GB en-US es es-MX et eu fa fi fr fr-CA gl he hi hr hu id is it ja ka ko lt lv ms nb nl nn pl pt pt-BR ro ru sk sl sq sr sv sw ta th tr uk ur vi zh-CN zh-TW';

const languages = new Intl.DisplayNames('en', { type: 'language' });

/** Languages by name, `present` among them, which may be any other. */
export const languageChoices = (present: string) =>
  [...new Set([...tags.split(' '), present])]
    .map((value) => ({ value, label: languages.of(value) ?? value }))
    .toSorted((a, b) => a.label.localeCompare(b.label));

const currencies = new Intl.DisplayNames('en', { type: 'currency' });

/** Every currency by name, as `Euro (EUR)`. */
export const currencyChoices = () =>
  Intl.supportedValuesOf('currency')
    .map((value) => ({ value, label: `${currencies.of(value)} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
