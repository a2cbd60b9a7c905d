/**
 * Time limits in milliseconds, for events that never come. A busy machine may need most of that time. A wait is shorter
 * than a test, so that the test reports what it waited for.
 */
export const timeLimits = { test: 600_000, wait: 180_000 } as const;
