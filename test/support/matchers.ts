import { expect } from 'vitest';

/** Matches any record ID. */
export const anyId = expect.stringMatching(/^[a-z0-9]{15}$/) as unknown as string;

/** Matches any timestamp in the form of REST. */
export const anyTimestamp = expect.stringMatching(
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/,
) as unknown as string;
