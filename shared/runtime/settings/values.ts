import { z } from 'zod';
import { toAsciiDomain } from '../../contract/email.ts';
import { parseCidr } from '../../webhooks/index.ts';

/** Returns the schema of a whole number from `min` to `max`, written in digits. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `expected a whole number from ${min} to ${max}`,
    })
    .transform(Number);

export const port = wholeNumber(1, 65_535);

/** Domain of email addresses, converted to the form of stored addresses. */
export const mailDomain = z.string().check((payload) => {
  const ascii = toAsciiDomain(payload.value);
  const message = 'expected a domain such as bounces.example.com';
  if (ascii === null) payload.issues.push({ code: 'custom', message, input: payload.value });
  else payload.value = ascii;
});

/** Boolean, written as on, true or 1, or as off, false or 0. */
export const onOrOff = z
  .enum(['on', 'off', 'true', 'false', '1', '0'], { error: 'expected on or off' })
  .transform((text) => text === 'on' || text === 'true' || text === '1');

/** Returns the schema of a URL with one of these schemes, each with its colon, such as `https:`. */
export const urlWith = (schemes: readonly string[], example: string) =>
  z
    .string({ error: 'is required' })
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol), {
      error: `expected an address such as ${example}`,
    });

/** Origin: a scheme, a host and optionally a port. */
export const origin = urlWith(['http:', 'https:'], 'https://ada.example.com')
  .refine((text) => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`, {
    error: 'expected an origin such as https://ada.example.com, without path, query or user name',
  })
  .transform((text) => new URL(text));

/** Splits a text at commas. Spaces around entries and empty entries are dropped. */
const entries = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Networks in CIDR notation, separated by commas. */
export const networks = z.string().transform((text, context) =>
  entries(text).flatMap((entry) => {
    try {
      return [parseCidr(entry)];
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return [];
    }
  }),
);

/** Returns the schema of 1 to `max` durations in seconds, separated by commas. A duration may be 0. */
export const secondsList = (max: number) =>
  z
    .string()
    .transform((text) => entries(text).map(Number))
    .refine(
      (list) => list.length > 0 && list.length <= max && list.every((n) => n >= 0 && Number.isFinite(n)),
      {
        error: `expected 1 to ${max} numbers of seconds, separated by commas`,
      },
    );

/** Limits per second, minute, hour or day, such as `14/s`, separated by commas. Each unit may occur once. */
export const maxPerUnit = z.string().transform((text, context) => {
  const limits = entries(text).map((entry) => /^([1-9]\d{0,8})\/([smhd])$/.exec(entry));
  const found = limits.flatMap((limit) =>
    limit ? [{ max: Number(limit[1]), unit: Unit.parse(limit[2]) }] : [],
  );
  if (found.length < limits.length || new Set(found.map(({ unit }) => unit)).size < found.length)
    context.addIssue({
      code: 'custom',
      message: 'expected limits such as 14/s,50000/d, at most one for each unit',
    });
  return found;
});

const Unit = z.enum(['s', 'm', 'h', 'd']);
