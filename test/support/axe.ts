import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** What axe-core finds wrong with a page that runs scripts, by all of its rules or by these: rule and place. */
export async function findViolations(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const violations: Violation[] = await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
