import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Lifetime } from '../../shared/process/run-until-stopped.ts';

/**
 * Builds the studio, if its sources have changed, while everything else starts: in a process that yields to all others,
 * and that nobody waits for. Until it is done `/studio` says so; when it fails, all but the studio works.
 */
export function buildStudioBeside(builder: string, { resources }: Pick<Lifetime, 'resources'>) {
  const build = spawn(process.execPath, [builder, '--if-changed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.pid) yieldToOthers(build.pid);
  build.once('error', (error) => console.error(`The studio could not be built: ${error.message}`));
  build.once('exit', (code) => {
    if (code) console.error('The studio could not be built. To see why: npx -y pnpm build:studio');
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
