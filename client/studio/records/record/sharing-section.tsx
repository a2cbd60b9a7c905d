import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { cutText } from '../../../../shared/contract/cut-text.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { pageOf } from '../../../../shared/contract/site-paths.ts';
import { useApi } from '../../data/api.tsx';
import { renditionOf, useMediaFile } from '../../data/media.ts';
import { siteQuery } from '../../data/queries.ts';
import type { NamedField } from '../../data/record-shape.ts';
import type { Values } from '../../data/records.ts';
import { strings } from '../../strings/ui-strings.ts';
import classes from './sharing-section.module.css';
import { useOpenRecord } from './use-record-editor.ts';

interface SharingSectionProps {
  /** True if one of its fields was refused, which opens the section. */
  isRefused: boolean;
  inputFor(field: NamedField): ReactNode;
}

/** Number of characters that search engines and link previews show before they cut the rest. */
const maxDescription = 160;
const shownCharacters: Record<string, number> = { meta_title: 60, meta_description: maxDescription };

/** Section for the title and description in search results and link previews, folded by default. */
export function SharingSection({ isRefused, inputFor }: SharingSectionProps) {
  const { shape, editor } = useOpenRecord();
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={classes.section}
      open={isOpen || isRefused}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{strings.sharing.title}</summary>
      <Stack gap="md" mt="sm">
        {shape.sharing.map((field) => {
          const [name] = field;
          return (
            <div key={name}>
              {inputFor(field)}
              <Text fz={12} c="dimmed" mt={4}>
                {strings.sharing.count(String(editor.values[name] ?? '').length, shownCharacters[name])}
              </Text>
            </div>
          );
        })}
        {(isOpen || isRefused) && <Previews />}
      </Stack>
    </details>
  );
}

function Previews() {
  const { resource, shape, editor } = useOpenRecord();
  const { values } = editor;
  const { data: site } = useQuery(siteQuery(useApi()));
  const { data: cover } = useMediaFile(textOf(values.cover));
  const path = pageOf(resource.name, textOf(values.slug) || '…');
  if (!site || path === null) return null;
  const { host } = new URL(site.origin ?? window.location.origin);
  const title = textOf(values.meta_title) || textOf(values[shape.title]) || strings.records.untitled;
  const description = textOf(values.meta_description) || opening(resource, values);
  return (
    <>
      <figure className={classes.figure}>
        <figcaption>{strings.sharing.searchResult}</figcaption>
        <div className={classes.result}>
          <div className={classes.address}>{host + path.replaceAll('/', ' › ')}</div>
          <div className={classes.resultTitle}>
            {title} · {site.name}
          </div>
          <div className={classes.lines}>{description}</div>
        </div>
      </figure>
      <figure className={classes.figure}>
        <figcaption>{strings.sharing.card}</figcaption>
        <div className={classes.card}>
          {cover && <img src={renditionOf(cover, 800)} alt="" />}
          <div className={classes.cardWords}>
            <div className={classes.address}>{host}</div>
            <div className={classes.cardTitle}>{title}</div>
            <div className={classes.lines}>{description}</div>
          </div>
        </div>
      </figure>
    </>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Returns a description like the one that the site derives: the teaser, else the first paragraph without Markdown. */
function opening({ fields }: Resource, values: Values): string {
  const ofKind = (kind: string) =>
    Object.entries(fields).flatMap(([name, field]) => (field.kind === kind ? [textOf(values[name])] : []));
  const text = [...ofKind('paragraph'), ...ofKind('markdown')].find(Boolean) ?? '';
  const paragraphs = cutText(text, 2_000)
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[#*_`>~]/g, '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim());
  return cutText(paragraphs.find(Boolean) ?? '', maxDescription);
}
