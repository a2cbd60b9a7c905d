import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Reporter that ends a run with the duration of each part and one plain line for any CI: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const passed = states.filter((state) => state === 'passed').length;
    const failed = states.filter((state) => state === 'failed').length;
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    console.log(`\n${timesOf(modules)}\n\n${passed} passed, ${failed + broken} failed`);
  }
}

/** Lists worker seconds by folder, longest first. Several workers run concurrently. */
function timesOf(modules: readonly TestModule[]): string {
  const byPart = Map.groupBy(modules, ({ moduleId }) => partOf(moduleId));
  return [...byPart]
    .map(([part, ofPart]) => [part, ofPart.reduce((sum, module) => sum + secondsOf(module), 0)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([part, seconds]) => `${Math.round(seconds).toString().padStart(6)} s  ${part}`)
    .join('\n');
}

function partOf(path: string): string {
  const [top = '', folder] = relative(process.cwd(), path).split('/');
  return top === 'test' ? `${top}/${folder}` : 'beside the sources';
}

function secondsOf(module: TestModule): number {
  const { setupDuration, collectDuration, prepareDuration, duration } = module.diagnostic();
  return (setupDuration + collectDuration + prepareDuration + duration) / 1_000;
}
