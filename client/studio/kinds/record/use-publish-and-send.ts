import { useDidUpdate } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMayWrite } from '../../data/rights.ts';
import { canBeMailed } from '../../data/shape.ts';
import { useOpenRecord } from './open-record.ts';

/** Publishes a draft and shows how it would arrive, where it is sent; null for what is no newsletter then, and for who may not. */
export function usePublishAndSend(): (() => void) | null {
  const { resource, editor, mayPublish } = useOpenRecord();
  const mayMail = useMayWrite('newsletter');
  const navigate = useNavigate();
  const [isWanted, setWanted] = useState(false);
  const { id, isDraft, isNew, isPublishing, saved, values, publish } = editor;
  const isThere = isWanted && !isDraft && canBeMailed(resource, saved);
  useEffect(() => {
    if (isThere) void navigate({ to: '/posts/$id/newsletter', params: { id } });
  }, [isThere, id, navigate]);
  // Where it was refused, it stays what it is.
  useDidUpdate(() => {
    if (!isPublishing && isDraft) setWanted(false);
  }, [isPublishing]);
  const isOffered = resource.collection === 'posts' && isDraft && !isNew && values.visibility === 'public';
  if (!mayMail || !mayPublish || !isOffered) return null;
  return () => {
    setWanted(true);
    publish();
  };
}
