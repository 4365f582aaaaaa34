"""temporary"""
from __future__ import annotations
import hashlib
from collections.abc import Sequence
from memdown.types import Chunk, Document, Passage

def chunk_document(document: Document, *, tokens: int, overlap: int, model: str, headings: Sequence[tuple[int, str]] = ()) -> list[Chunk]:
    cap, over = max(32, tokens*4), overlap*4
    lines = [l.rstrip("\r") for l in document.text.split("\n")]
    if lines and not lines[-1]: lines.pop()
    pieces = [(n, line[i:i+cap]) for n, line in enumerate(lines, 1) for i in range(0, max(1, len(line)), cap)]
    groups=[]; cur=[]; size=0; fresh=0
    for n, t in pieces:
        if len(cur)>fresh and size+len(t)+1>cap:
            groups.append((cur,fresh)); keep=[]; k=0
            for a in reversed(cur):
                if k+len(a[1])+1>over or k+len(a[1])+1+len(t)+1>cap: break
                keep.insert(0,a); k+=len(a[1])+1
            cur=keep; fresh=len(keep); size=k
        cur.append((n,t)); size+=len(t)+1
    if len(cur)>fresh: groups.append((cur,fresh))
    out=[]
    def head(n):
        h=""
        for ln,t in headings:
            if ln<=n: h=t
        return h
    lm = document.line_map
    m = (lambda n: lm[n-1]) if lm else (lambda n: n)
    for cur,fresh in groups:
        text="\n".join(t for _,t in cur)
        if not text.strip(): continue
        ps=[]; off=sum(len(t)+1 for _,t in cur[:fresh]); s=off; sl=None
        for n,t in cur[fresh:]:
            if sl is not None and off+len(t)-s>400 and text[s:off].strip():
                ps.append(Passage(s,off-1,m(sl),m(pl),head(sl))); s=off; sl=None
            if sl is None: sl=n
            pl=n; off+=len(t)+1
        if text[s:].strip() or not ps: ps.append(Passage(s,len(text),m(sl),m(pl),head(sl)))
        d=hashlib.sha256(text.encode()).hexdigest(); a,b=m(cur[0][0]),m(cur[-1][0])
        out.append(Chunk(hashlib.sha256(f"{document.source}:{document.path}:{a}:{b}:{d}:{model}".encode()).hexdigest(),document.path,document.source,a,b,head(cur[fresh][0]),text,d,tuple(ps)))
    return out
