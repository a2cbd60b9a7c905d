import path from 'node:path';
import {
  API,
  type Checker,
  type Symbol as Named,
  SignatureKind,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync';
import { packageDir } from './sources.ts';

/** Returns the comment for the value at a path of property names. */
export type Describe = (path: readonly string[]) => string | undefined;

/**
 * Prints the types that a module exports, resolved to plain ones: objects, lists, unions, literals, primitives and Dates.
 * Throws for any other type, so that no internal type of the service is published.
 */
export function printTypes(file: string, describe: Describe): string {
  const api = new API({ cwd: packageDir });
  try {
    const config = path.join(packageDir, '../../tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const source = project?.program.getSourceFile(file);
    const module = source && project?.checker.getSymbolAtLocation(source);
    if (!project || !module) throw new Error(`${file} is not part of ${config}`);
    const { checker } = project;
    const printed = checker.getExportsOfModule(module).map((symbol) => {
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      return `export type ${symbol.name} = ${print({ checker, describe, path: [symbol.name] }, type)};\n`;
    });
    return printed.join('\n');
  } finally {
    api.close();
  }
}

interface Printer {
  checker: Checker;
  describe: Describe;
  /** Property names from the export to this type. */
  path: readonly string[];
}

function print(printer: Printer, type: Type): string {
  const { checker } = printer;
  if (type.isUnionType()) return printUnion(printer, type.getTypes());
  if (type.isLiteralType()) return JSON.stringify(type.value);
  if (type.isIntrinsicType() && plain.has(type.intrinsicName)) return type.intrinsicName;
  if (type.getSymbol()?.name === 'Date') return 'Date';
  if (checker.isTupleType(type)) return `[${argumentsOf(printer, type).join(', ')}]`;
  if (checker.isArrayType(type)) return `Array<${argumentsOf(printer, type)}>`;
  if (isRecord(checker, type)) return printObject(printer, type);
  throw new Error(`${printer.path.join('.')}: can't publish ${checker.typeToString(type)}`);
}

const isRecord = (checker: Checker, type: Type) =>
  type.isObjectType() &&
  !type.isClassOrInterface() &&
  checker.getSignaturesOfType(type, SignatureKind.Call).length === 0;

const plain = new Set(['string', 'number', 'boolean', 'undefined', 'null', 'void', 'unknown', 'never']);

/** Prints union members without repetition, `true | false` as `boolean`, and null and undefined last. */
function printUnion(printer: Printer, types: readonly Type[]): string {
  const printed = new Set(membersOf(types).map((type) => print(printer, type)));
  if (printed.has('true') && printed.delete('false')) {
    printed.delete('true');
    printed.add('boolean');
  }
  const isNothing = (member: string) => member === 'null' || member === 'undefined';
  return [...printed].toSorted((a, b) => Number(isNothing(a)) - Number(isNothing(b))).join(' | ');
}

const membersOf = (types: readonly Type[]): Type[] =>
  types.flatMap((type) => (type.isUnionType() ? membersOf(type.getTypes()) : [type]));

function argumentsOf(printer: Printer, type: Type): string[] {
  if (!type.isTypeReference()) throw new Error(`${printer.path.join('.')}: an array without an item type`);
  return printer.checker.getTypeArguments(type).map((item) => print(printer, item));
}

function printObject(printer: Printer, type: Type): string {
  const { checker } = printer;
  const indent = '  '.repeat(printer.path.length);
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(
      (index) => `${indent}[key: ${print(printer, index.keyType)}]: ${print(printer, index.valueType)};\n`,
    );
  const properties = checker
    .getPropertiesOfType(type)
    .map((property) => printProperty(printer, property, indent));
  return `{\n${[...indexes, ...properties].join('')}${indent.slice(2)}}`;
}

function printProperty(printer: Printer, property: Named, indent: string): string {
  const path = [...printer.path, property.name];
  const type = printer.checker.getTypeOfSymbol(property);
  if (!type) throw new Error(`${path.join('.')} has no type`);
  const optional = (property.flags & SymbolFlags.Optional) !== 0;
  const text = print({ ...printer, path }, type);
  const value = optional && !/\| undefined$|^undefined$/.test(text) ? `${text} | undefined` : text;
  const name = /^[A-Za-z_]\w*$/.test(property.name) ? property.name : JSON.stringify(property.name);
  return `${comment(printer.describe(path), indent)}${indent}${name}${optional ? '?' : ''}: ${value};\n`;
}

const comment = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
