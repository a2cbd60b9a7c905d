import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line that any continuous integration can read: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const passed = states.filter((state) => state === 'passed').length;
    const failed = states.filter((state) => state === 'failed').length;
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    console.log(`\n${passed} passed, ${failed + broken} failed`);
  }
}
