const names = new Intl.DisplayNames('en', { type: 'currency' });

/** Every currency by name, as `Euro (EUR)`. */
export const currencyChoices = () =>
  Intl.supportedValuesOf('currency')
    .map((value) => ({ value, label: `${names.of(value)} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
