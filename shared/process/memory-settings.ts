import { setFlagsFromString } from 'node:v8';

/**
 * Without the first two V8 lets garbage gather as if the whole machine were its own. The last keeps it from looking through the
 * heap before that holds 64 MB: what a start fills it with lasts. It takes them when a process begins only.
 */
export const memoryFlags = [
  '--max-semi-space-size=8',
  '--max-old-space-size=1024',
  '--initial-old-space-size=64',
];

/**
 * The first lets less garbage gather. The second keeps V8 from guessing which objects will live for long: in a third of all
 * starts it guessed that those of a request do, which made garbage of each outlive its time, and a read cost twice the CPU as
 * long as the process ran. The third has it look for bytes that came over the network and are done with once there are 15 MB of
 * them, rather than 80: they lie outside of its heap, which they fill with next to nothing.
 */
const lateFlags = [
  '--heap-growing-percent=20',
  '--no-allocation-site-pretenuring',
  '--scavenger-max-new-space-capacity-mb=2',
];

/** Without these malloc keeps the large buffers that were freed. It reads them once, when a process begins. */
const variables = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '32768' };

/** Without what it is set to: a flag that is switched on or off counts as set either way. */
const nameOf = (flag: string) => flag.replace(/^--(no-)?|=.*/g, '');

/** V8 takes either sign between words, and a bound of the whole heap in place of one of its old part. */
const asWritten = (given: string) =>
  given.replaceAll('_', '-').replace('--max-heap-size', '--max-old-space-size --max-semi-space-size');

const isGiven = (flag: string) =>
  asWritten([...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')).includes(nameOf(flag));

/**
 * Has this process run with the settings that hold its memory down; those that its starter chose are left as they are.
 * If any is missing, the process begins again in place: same id, arguments, standard streams, and so the same signals
 * and exit code for whoever started it. Belongs before all else, since nothing that was done before remains. Where that
 * can't be (Windows, Node before 22.15, a parent with an IPC channel, which would break), the flags that V8 takes late
 * have to do.
 */
export function applyMemorySettings() {
  const missing = memoryFlags.filter((flag) => !isGiven(flag));
  const isComplete = Object.keys(variables).every((name) => process.env[name] !== undefined);
  const canBegin = process.execve && process.platform !== 'win32' && !process.connected;
  if (canBegin && (missing.length > 0 || !isComplete)) {
    const args = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)];
    process.execve?.(process.execPath, args, { ...variables, ...process.env });
  }
  for (const flag of missing) setFlagsFromString(flag);
  // By now the heap has this size. Node's own modules come with their compiled code, which V8 takes with its flags of old only.
  setFlagsFromString('--initial-old-space-size=0');
}

/** The flags that V8 takes at any time, for once most of what the process needs is loaded: see above. */
export function applyLateSettings() {
  for (const flag of lateFlags.filter((flag) => !isGiven(flag))) setFlagsFromString(flag);
}
