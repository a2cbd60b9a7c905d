import { type Command, Option } from 'commander';
import { CreateSite, OperateSite } from '../../shared/contract/features/site.ts';
import { planNames } from '../../shared/contract/plans.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { createSite, listSites, updateSettings } from '../accounts/sites/store.ts';
import type { StoreDeps } from '../api/deps.ts';
import { checked, type Operate } from './operator-session.ts';
import { table } from './table.ts';

interface SiteOptions {
  name?: string;
  plan?: string;
  subdomain?: string;
  customDomain?: string;
  mcp?: 'on' | 'off';
}

export function addSites(program: Command, operate: Operate) {
  const sites = program.command('sites').description('sites of this installation');

  sites
    .command('list')
    .description('list all sites, oldest first')
    .action(() => operate.run(async (session) => console.log(table((await listSites(session)).map(shown)))));

  withFields(sites.command('create').description('create a site with an empty profile'), true).action(
    (options: SiteOptions) =>
      operate.change(newSiteId, async (session, id) => {
        await createSite(session, checked(CreateSite, fieldsOf(options)), id);
        return { recordId: id, message: await madeSite(session, id) };
      }),
  );

  withFields(sites.command('update <site>').description('change a site, by its id, subdomain or domain'))
    .addOption(new Option('--mcp <on|off>', 'access by AI assistants (MCP)').choices(['on', 'off']))
    .action((site: string, options: SiteOptions) =>
      operate.change(siteIdOf(site), async (session, id) => {
        const input = checked(OperateSite, fieldsOf(options));
        await updateSettings({ deps: session, siteId: id }, input);
        return { changed: Object.keys(input), message: table([shown(await findSite(session, id))]) };
      }),
    );
}

/** Returns the message after a site was created, with the next steps. */
export async function madeSite(deps: StoreDeps, id: string): Promise<string> {
  const made = `Created site ${id}. Invite its owner: ${opsCommand(`people create EMAIL --site ${id}`)}`;
  return [made, ...unreachable(await listSites(deps))].join('\n');
}

/** Lists sites without an address. Visitors reach such a site only while it is the only one. */
const unreachable = (sites: Site[]) =>
  sites
    .filter(({ subdomain, custom_domain }) => sites.length > 1 && !subdomain && !custom_domain)
    .map(
      ({ id, name }) =>
        `${name} has no domain or subdomain, so visitors cannot reach it while there are several sites. Set one: ${opsCommand(`sites update ${id} --custom-domain DOMAIN`)} (or --subdomain LABEL)`,
    );

function withFields(command: Command, creates = false) {
  return command
    .addOption(new Option('--name <name>', 'name of the site').makeOptionMandatory(creates))
    .addOption(
      new Option('--plan <plan>', 'plan of the site, which decides its features')
        .choices(planNames)
        .default(creates ? 'pro' : undefined),
    )
    .option('--subdomain <label>', 'subdomain of PUBLIC_URL, such as ada; "" for none')
    .option('--custom-domain <domain>', 'domain of the site, such as ada.example.com; "" for none');
}

const fieldsOf = ({ name, plan, subdomain, customDomain, mcp }: SiteOptions) => ({
  ...(name !== undefined && { name }),
  ...(plan !== undefined && { plan }),
  ...(subdomain !== undefined && { subdomain: subdomain || null }),
  ...(customDomain !== undefined && { custom_domain: customDomain || null }),
  ...(mcp !== undefined && { mcp_enabled: mcp === 'on' }),
});

type Site = Awaited<ReturnType<typeof listSites>>[number];

const shown = ({ id, name, plan, subdomain, custom_domain, mcp_enabled, created }: Site) => ({
  id,
  name,
  plan,
  subdomain,
  custom_domain,
  mcp: mcp_enabled ? 'on' : 'off',
  created,
});

const newSiteId = async (deps: StoreDeps) => newRecordId(deps.clock.now(), deps.randomBytes);

export const siteOption = [
  '--site <site>',
  'id, subdomain or domain of the site; may be omitted if there is only one',
] as const;

/**
 * Returns a function that finds the id of the named site, or of the only one. It throws an `Error` with advice if
 * there is none, or several.
 */
export const siteIdOf = (named: string | undefined) => async (deps: StoreDeps) =>
  (await findSite(deps, named)).id;

/**
 * Finds the site with this id, subdomain or domain, or the only one if `named` is undefined. Throws an `Error` with
 * advice if there is none, or several.
 */
export async function findSite(deps: StoreDeps, named?: string): Promise<Site> {
  const sites = await listSites(deps);
  const matching = named
    ? sites.filter(({ id, subdomain, custom_domain }) => [id, subdomain, custom_domain].includes(named))
    : sites;
  const [site, another] = matching;
  if (!site)
    throw new Error(
      named
        ? `No site has the id, subdomain or domain ${named}.`
        : `There is no site yet: create one with \`${opsCommand('sites create --name …')}\``,
    );
  if (another)
    throw new Error(`There are several sites: choose one with --site.\n${table(sites.map(shown))}`);
  return site;
}
