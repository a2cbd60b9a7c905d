import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Lifetime } from '../../shared/process/run-until-stopped.ts';

/**
 * Builds the studio in a process of low priority, if its sources changed. Until it is done, `/studio` reports that it is being built;
 * if it fails, everything except the studio works.
 */
export function buildStudioBeside(builder: string, { resources }: Pick<Lifetime, 'resources'>) {
  const failure = 'Studio build failed; /studio is unavailable or outdated.';
  const build = spawn(process.execPath, [builder, '--if-changed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.pid) yieldToOthers(build.pid);
  build.once('error', (error) => console.error(`${failure} ${error.message}`));
  build.once('exit', (code) => {
    if (code) console.error(`${failure} To see the error, run: npx -y pnpm build:studio`);
  });
  resources.defer(() => void build.kill());
}

function yieldToOthers(pid: number) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // A build that has ended has no priority.
  }
}
