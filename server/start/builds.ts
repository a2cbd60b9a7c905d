import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { currentBundle } from '../../shared/process/bundled.ts';
import type { Lifetime } from '../../shared/process/run-until-stopped.ts';

type Until = Pick<Lifetime, 'resources'>;

/** Builds the studio, if its sources have changed. Until it is done `/studio` says so; when it fails, all but the studio works. */
export function buildStudioBeside(builder: string, until: Until) {
  buildBeside([builder, '--if-changed'], 'Studio build failed; /studio is unavailable or outdated.', until);
}

/** Bundles the service for the next start, if this one had to load its sources. */
export function bundleBeside(bundler: string, until: Until) {
  if (!currentBundle()) buildBeside([bundler], 'Service bundle failed; starts take longer.', until);
}

/** In a process that yields to all others, and that nobody waits for. */
function buildBeside(program: string[], failure: string, { resources }: Until) {
  const build = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit'] });
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
