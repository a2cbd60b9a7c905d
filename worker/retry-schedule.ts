/**
 * Seconds to wait before the next attempt, or null when none is left.
 * `attemptsMade` counts the attempts so far, at least 1; a schedule of five delays allows six attempts (SPEC, States).
 */
export function nextDelaySeconds(attemptsMade: number, scheduleSeconds: readonly number[]): number | null {
  return scheduleSeconds[attemptsMade - 1] ?? null;
}
