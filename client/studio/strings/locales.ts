import { isTimeZone, utc } from '../../../shared/contract/time-zone.ts';
import { site } from './site.ts';
import { zoneLabel } from './time-format.ts';

const tags =
  'ar bg bn ca cs da de de-AT de-CH el en en-GB en-US es es-MX et eu fa fi fr fr-CA gl he hi hr hu id is it ja ka ko lt lv ms nb nl nn pl pt pt-BR ro ru sk sl sq sr sv sw ta th tr uk ur vi zh-CN zh-TW';

const languages = new Intl.DisplayNames('en', { type: 'language' });

/** Returns languages by name, including `present`, which may be any tag. */
export const languageChoices = (present: string) =>
  [...new Set([...tags.split(' '), present])]
    .map((value) => ({ value, label: languages.of(value) ?? value }))
    .toSorted((a, b) => a.label.localeCompare(b.label));

const currencies = new Intl.DisplayNames('en', { type: 'currency' });

/** Returns all currencies by name, such as `Euro (EUR)`. */
export const currencyChoices = () =>
  Intl.supportedValuesOf('currency')
    .map((value) => ({ value, label: `${currencies.of(value)} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));

/** Current names of zones that browsers list by an older one. */
const renamed: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

const currentName = (zone: string) => {
  const name = renamed[zone];
  return name && isTimeZone(name) ? name : zone;
};

/** Returns IANA time zones by name, `present` among them; the zone of this device is in a group of its own. */
export function timeZoneChoices(present: string) {
  const own = currentName(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const all = [utc, ...Intl.supportedValuesOf('timeZone').map(currentName), present];
  const { own: thisDevice, all: others } = site.site.timeZones;
  const item = (value: string) => ({ value, label: zoneLabel(value) });
  return [
    { group: thisDevice, items: [item(own)] },
    {
      group: others,
      items: [...new Set(all)]
        .filter((zone) => zone !== own)
        .toSorted()
        .map(item),
    },
  ];
}

/** Returns the text to find in the labels of time zones for a typed text: `São_Paulo` becomes `sao paulo`. */
export const searchedZone = (typed: string): string =>
  zoneLabel(typed)
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '');
