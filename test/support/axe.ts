import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** What axe-core finds wrong with a page that runs scripts: rule and place. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations: Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
