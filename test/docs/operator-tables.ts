import type { Command } from 'commander';
import { createProgram } from '../../server/cli/index.ts';
import { OpsSettings, ServerSettings, StartSettings } from '../../server/start/settings.ts';
import { listSettings } from '../../shared/runtime/settings/read-settings.ts';
import { WorkerSettings } from '../../worker/settings.ts';
import { code, type Table } from './tables.ts';

const programs = {
  server: ServerSettings,
  worker: WorkerSettings,
  start: StartSettings,
  ops: OpsSettings,
};

/** Settings of all programs. Equal descriptions of several programs are one row. */
export function settingTable(): Table {
  const rows = Object.entries(programs).flatMap(([program, schema]) =>
    listSettings(schema).map(({ name, usual = '-', isRequired, description }) => ({
      program,
      name,
      usual: isRequired ? 'required' : usual,
      description,
    })),
  );
  const named = Map.groupBy(rows, ({ name, usual, description }) => [name, usual, description].join('\n'));
  return [
    ['Setting', 'Programs', 'Default', 'Meaning'],
    ...[...named.values()]
      .flatMap(([first, ...others]) => (first ? [{ ...first, others }] : []))
      .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
      .map(({ name, program, usual, description, others }) => [
        code(name),
        [program, ...others.map((other) => other.program)].join(', '),
        usual,
        description,
      ]),
  ];
}

const argumentsOf = ({ registeredArguments }: Command) =>
  registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });

/** Rows of a command and the commands below it: each command, followed by its options. */
function rowsOf(command: Command, parents: readonly string[]): string[][] {
  const path = [...parents, command.name()];
  const own = [[code([...path, ...argumentsOf(command)].join(' ')), '', command.description()]];
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description }) => ['', code(flags), description]);
  return command.commands.length > 0
    ? command.commands.flatMap((child) => rowsOf(child, path))
    : [...own, ...options];
}

export const commandTable = (): Table => [
  ['Command', 'Option', 'Effect'],
  ...createProgram('').commands.flatMap((command) => rowsOf(command, ['ops'])),
];
