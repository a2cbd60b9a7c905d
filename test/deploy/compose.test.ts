import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createProgram } from '../../server/cli/index.ts';
import { OpsSettings, ServerSettings } from '../../server/start/settings.ts';
import { listSettings } from '../../shared/runtime/settings/read-settings.ts';
import { WorkerSettings } from '../../worker/settings.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

const Condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully']);
const Service = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.coerce.string()),
  secrets: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: Condition })).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()).optional() }).optional(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  restart: z.string(),
});
const ComposeFile = z.object({
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

/** Lines that an operator activates to send mail, as docs/operate/install.md says. */
const withMail = (text: string) => text.replaceAll('# mail: ', '');

const parseCompose = (text: string) => ComposeFile.parse(parse(text, { merge: true }));
const compose = parseCompose(await read('deploy/compose.yaml'));
const own = Object.entries(compose.services).filter(([, { command }]) => command.length > 0);

const programs: Record<string, z.ZodType> = {
  'server/main.ts': ServerSettings,
  'worker/main.ts': WorkerSettings,
  'server/ops.ts': OpsSettings,
};

test('compose.yaml and the Containerfile name the version of package.json', async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await read('package.json')));
  const image = `creator-content-service:${version}`;

  expect(new Set(own.map(([, service]) => service.image))).toEqual(new Set([`\${CONTENT_IMAGE:-${image}}`]));
  expect(await read('deploy/Containerfile')).toContain(` -t ${image} .`);
  expect(await read('docs/operate/install.md')).toContain(` -t ${image} .`);
});

test('services of compose.yaml run migrations, server and worker, and programs that the image contains', async () => {
  const copied = [...(await read('deploy/Containerfile')).matchAll(/^COPY --from=build \S+ (\w+)$/gm)];
  const folders = copied.map(([, folder]) => folder);
  const commands = createProgram('').commands.map((command) => command.name());

  expect(own.map(([name, { command }]) => [name, ...command])).toEqual([
    ['migrate', 'node', 'server/ops.ts', 'migrate'],
    ['server', 'node', 'server/main.ts'],
    ['worker', 'node', 'worker/main.ts'],
  ]);
  expect(commands).toContain('migrate');
  for (const [
    ,
    {
      command: [, program = ''],
    },
  ] of own) {
    expect([program, existsSync(path.join(root, program))]).toEqual([program, true]);
    expect(folders).toContain(path.dirname(program));
  }
});

test.each([
  ['as it is', (text: string) => text, ['DATABASE_URL_FILE', 'SECRET_KEY_FILE']],
  ['with mail', withMail, ['DATABASE_URL_FILE', 'SECRET_KEY_FILE', 'SMTP_URL_FILE']],
])('settings of compose.yaml exist, and each secret is declared and mounted: %s', async (_, edit, files) => {
  const edited = parseCompose(edit(await read('deploy/compose.yaml')));
  const known = Object.values(programs).flatMap((schema) => listSettings(schema).map(({ name }) => name));

  for (const [name, { environment, command }] of Object.entries(edited.services)) {
    const mounted = edited.services[name]?.secrets ?? [];
    const paths = Object.entries(environment).filter(([setting]) => setting.endsWith('_FILE'));
    expect(paths.map(([, file]) => file).toSorted()).toEqual(
      mounted.map((secret) => `/run/secrets/${secret}`).toSorted(),
    );
    if (command.length === 0) continue;
    expect(Object.keys(environment).filter((setting) => !known.includes(setting))).toEqual([]);
    expect(paths.map(([setting]) => setting).toSorted()).toEqual(files);
  }
  const mounted = Object.values(edited.services).flatMap(({ secrets }) => secrets);
  expect(Object.keys(edited.secrets).toSorted()).toEqual([...new Set(mounted)].toSorted());
});

test('services of compose.yaml wait for health that is checked, and for commands that end', () => {
  for (const { depends_on } of Object.values(compose.services))
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const service = compose.services[name];
      if (condition === 'service_healthy') expect(service?.healthcheck?.test).toBeDefined();
      if (condition === 'service_completed_successfully') expect(service?.restart).toBe('no');
    }
});

test('containers of the service cannot write to their image, and have no capabilities', () => {
  expect(own.map(([, { read_only, cap_drop }]) => ({ read_only, cap_drop }))).toEqual(
    own.map(() => ({ read_only: true, cap_drop: ['ALL'] })),
  );
});
