import { expect, test } from 'vitest';
import { copyCheckout } from '../support/checkout-copy.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { findFreePort, startNode } from '../support/process.ts';
import { startWatchedBrowser } from '../support/watched-browser.ts';

test('a newly declared field and resource appear in lists, filters, forms and history without studio code', async () => {
  await using database = await createEmptyDatabase();
  await using copy = await copyCheckout();
  await copy.insertBefore(
    'shared/contract/resources/skill.ts',
    'name: labelled(',
    "since: labelled('Since', text(20, 'Year of the first project with it', '2014'), 'When you began with it.'),\n    ",
  );
  await copy.insertBefore('shared/contract/resources/index.ts', 'skills: skill,', 'recipes: recipe,\n  ');
  await copy.append('shared/contract/resources/index.ts', "import { recipe } from './recipe.ts';");
  await copy.write('shared/contract/resources/recipe.ts', recipe);
  const served = 'recipes: { studio: router(studioOf(resources.recipes)) },\n  ';
  await copy.insertBefore('server/api/router/content.ts', 'skills: {', served);
  await copy.append('shared/db/migrations/index.ts', migration);

  const port = await findFreePort();
  await using running = startNode([copy.at('server/start.ts')], {
    DATABASE_URL: database.url,
    PORT: String(port),
    OWNER_PASSWORD: 'correct horse battery',
    DEMO: 'off',
    RATE_LIMIT_STUDIO: 'off',
  });
  await running.says(/Press Ctrl-C to stop/);
  await using browser = await startWatchedBrowser();
  const { page, faults } = await browser.open();
  // A visitor who arrives before the studio is built waits on a page that then opens it.
  await page.goto(`http://localhost:${port}/studio/recipes`);
  await page.getByLabel('Email').waitFor();
  await page.getByLabel('Email').fill('owner@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'No recipes yet' }).waitFor();
  await page.getByText('What you cook.').waitFor();
  await page.getByRole('link', { name: 'New recipe' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Caldo verde');
  await page.getByRole('textbox', { name: 'Serves' }).fill('4');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('“Caldo verde” created').waitFor();
  await page.getByRole('link', { name: 'Recipes' }).first().click();
  await page.getByRole('cell', { name: 'Caldo verde', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Serves' }).click();
  await page.getByRole('textbox', { name: 'At least' }).fill('5');
  await page.getByRole('heading', { name: 'No results' }).waitFor();
  await page.getByRole('textbox', { name: 'At least' }).fill('4');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Caldo verde' }).click();
  await page.getByRole('textbox', { name: 'Serves' }).fill('6');
  await page.getByRole('button', { name: 'Update' }).click();
  await page.getByText('“Caldo verde” updated').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  await page.getByRole('link', { name: 'Created' }).waitFor();
  await page.getByRole('link', { name: 'Serves' }).waitFor();
  await page.getByRole('region', { name: 'Serves' }).waitFor();
  expect(await page.getByRole('region', { name: 'Serves' }).textContent()).toBe('ServesThen4Now6');
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByText('Unchanged since then').waitFor();

  await page.getByRole('link', { name: 'CV' }).click();
  await page.getByRole('link', { name: 'Skills' }).click();
  await page.getByRole('link', { name: 'New skill' }).first().click();
  await page.getByText('When you began with it.').waitFor();
  await page.getByRole('textbox', { name: 'Since' }).fill('2009');
  await page.getByRole('textbox', { name: 'Name' }).fill('Soup');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('“Soup” created').waitFor();
  expect(await database.query("select since from skills where name = 'Soup'")).toEqual([{ since: '2009' }]);
  expect(await database.query('select name, serves from recipes')).toEqual([
    { name: 'Caldo verde', serves: '4' },
  ]);
  expect(faults).toEqual([]);
});

const recipe = `
import { labelled, quantity, requiredText, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const recipe = defineResource({
  name: 'recipe',
  collection: 'recipes',
  description: 'Dishes the creator cooks',
  labels: { lead: 'What you cook.', begin: 'Begin with a soup.' },
  ownersOnly: true,
  fields: {
    name: labelled('Name', requiredText(100, 'Name of the dish', 'Caldo verde')),
    serves: labelled('Serves', quantity('How many it feeds', 4)),
    visibility,
  },
});
`;

const migration = `
import { Migration } from '@mikro-orm/migrations';

migrations.push({
  name: '9999-recipes',
  class: class extends Migration {
    override up() {
      this.addSql('create table recipes (like skills including all)');
      this.addSql('alter table recipes drop column search, drop column category, drop column proficiency, drop column sort_order, add column serves numeric');
      this.addSql('alter table recipes add column search tsvector not null generated always as (search_vector(array[name])) stored');
      this.addSql("alter table skills add column since text not null default ''");
    }
  },
});
`;
