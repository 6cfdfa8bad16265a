"""The log of format 1: frames, the torn rest of a write, damage and its names; written from FORMAT.md alone."""

from vault_format import (
    BLOCK, DELETE, ECHO, HEAD, INDEX, LARGEST_BODY, LOG_START, NONE16, SMALLEST_FRAME, VALUE, peek, u,
)


class Frame:
    """A frame whose head is authentic."""

    def __init__(self, content, offset):
        head = content[offset : offset + HEAD]
        self.offset = offset
        self.kind = head[4]
        self.end = offset + SMALLEST_FRAME + u(head, 8, 4)
        self.position, self.count = u(head, 12, 4), u(head, 16, 4)
        self.sequence, self.previous = u(head, 24, 8), head[32:40]
        self.name_hash, self.nonce, self.tag = head[40:56], head[56:80], head[80:96]
        self.mac = head[96:104]

    @property
    def commit(self):
        return self.sequence - self.position, self.count


class Entry:
    def __init__(self, kind, offset, end, older):
        self.kind, self.offset, self.end, self.older = kind, offset, end, older


class Log:
    """Reads a whole log; `published` is the tail that the companion vouches for, or 0."""

    def __init__(self, content, header, keys, published):
        self.content, self.header, self.keys = content, header, keys
        self.published = published
        self.size = len(content)
        self.frames, self.table, self.lost, self.last_loss = 0, {}, 0, 0
        self.torn, self.chain_breaks = None, 0
        self.items = []
        self.offset, self.next, self.mac = LOG_START, header.base_sequence + 1, header.log_id[:8]
        self.data_end = self._data_end()
        self._read()
        for item in self.items:
            self._apply(item)

    def _data_end(self):
        used = len(self.content.rstrip(b"\0"))
        if used <= LOG_START:
            return LOG_START
        return min(self.size, LOG_START + (used - LOG_START + BLOCK - 1) // BLOCK * BLOCK)

    def _frame(self, offset):
        head = self.content[offset : offset + HEAD]
        if len(head) < HEAD or head[:4] != b"SCF1" or head[4] not in (VALUE, DELETE, INDEX):
            return None
        body, position, count = u(head, 8, 4), u(head, 12, 4), u(head, 16, 4)
        if body > LARGEST_BODY or body % BLOCK or (body == 0) != (head[4] == DELETE):
            return None
        if not 1 <= count <= 65536 or position >= count:
            return None
        if self.keys.frame_mac(head, self.header.log_id, offset) != head[96:]:
            return None
        return Frame(self.content, offset)

    def _next_frame(self, offset):
        while offset + HEAD <= self.data_end:
            frame = self._frame(offset)
            if frame:
                return frame
            offset += BLOCK
        return None

    def _read(self):
        # The frames of the last commit, where it begins, and how many items come before it.
        run, start, kept = [], None, 0
        place, is_cut = self.offset, False
        while place < self.data_end:
            frame = self._next_frame(place)
            if not frame:
                break
            if frame.end > self.size:
                is_cut = True
                break
            if frame.sequence < self.next:
                place = frame.end
                continue
            before, count = (self.offset, self.next, self.mac), len(self.items)
            missing = frame.sequence - self.next
            if frame.offset > self.offset or missing:
                self.items.append(self._assess(self.offset, frame.offset, missing))
            elif frame.previous != self.mac:
                self.chain_breaks += 1
            if not run or run[0].commit != frame.commit:
                run, start, kept = [], before, count
                if frame.position == 0:
                    start, kept = (frame.offset, frame.sequence, self.mac), len(self.items)
            run.append(frame)
            self.items.append(frame)
            self.offset, self.next, self.mac = frame.end, frame.sequence + 1, frame.mac
            place = frame.end
        self._settle(run, start, kept, is_cut)

    def _has_zero_block(self, start, end):
        return any(not any(self.content[at : at + BLOCK]) for at in range(start, end - BLOCK + 1, BLOCK))

    def _is_whole(self, run, start):
        place = start
        for index, frame in enumerate(run):
            if frame.position != index or frame.offset != place:
                return False
            place = frame.end
        return len(run) == run[0].count and not self._has_zero_block(start, place)

    def _settle(self, run, start, kept, is_cut):
        tail, keep, lacks_end = (self.offset, self.next, self.mac), len(self.items), False
        if run and not self._is_whole(run, start[0]):
            tail, keep = start, kept
            lacks_end = run[-1].position + 1 < run[-1].count
        end = max(self.data_end, self.offset)
        room = self.size - end
        if end == tail[0]:
            if room < BLOCK:
                self._tail_damage(end)
            return
        if is_cut or self.published > tail[0] or room < BLOCK:
            is_torn = False
        elif end - tail[0] < SMALLEST_FRAME:
            is_torn = True
        elif lacks_end and self.offset >= end:
            is_torn = True
        else:
            is_torn = self._has_zero_block(tail[0], end)
        if is_torn:
            del self.items[keep:]
            self.offset, self.next, self.mac = tail
            self.torn = (tail[0], end)
        elif self.offset < end or room < BLOCK:
            self._tail_damage(end)

    def _tail_damage(self, end):
        damage = self._assess(self.offset, end, None)
        if self.size - end < BLOCK and self.offset < end:
            damage["lost"] += 1
        self.items.append(damage)
        self.next += max(1, len(damage["frames"]), damage["lost"])
        self.offset = end

    def _assess(self, start, end, missing):
        damage = {"end": end, "frames": [], "lost": 0}
        offset, found = start, 0
        while offset + SMALLEST_FRAME <= end and (missing is None or found < missing):
            room = end - offset
            head = self.content[offset : offset + HEAD]
            body = u(head, 8, 4)
            stated = body + SMALLEST_FRAME if body <= LARGEST_BODY and body % BLOCK == 0 else None
            is_only = missing is not None and missing - found == 1
            if is_only:
                length = room
            elif stated and stated <= room:
                length = stated
            elif missing is None:
                length = room
            else:
                break
            in_place = u(head, 24, 8) == self.next + found or (found == 0 and head[32:40] == self.mac)
            echo = self.content[offset + length - ECHO : offset + length]
            if missing is None and offset + length == self.size:
                name_hash = head[40:56] if in_place else None
            else:
                name_hash = echo if in_place or head[40:56] != echo else None
            if name_hash != NONE16:
                damage["frames"].append((offset, offset + length, name_hash))
                damage["lost"] += name_hash is None
            offset += length
            found += 1
        if missing is not None:
            damage["lost"] += missing - found
        elif found == 0:
            damage["lost"] += 1
        return damage

    def _apply(self, item):
        if isinstance(item, Frame):
            self.frames += 1
            if item.kind != INDEX:
                self._put(item.name_hash, "value" if item.kind == VALUE else "delete", item.offset, item.end)
            return
        for offset, end, name_hash in item["frames"]:
            if name_hash is not None:
                self._put(name_hash, "damaged", offset, end)
        self.lost += item["lost"]
        if item["lost"]:
            self.last_loss = max(self.last_loss, item["end"])

    def _put(self, name_hash, kind, offset, end):
        older = self.table[name_hash].offset if name_hash in self.table else 0
        self.table[name_hash] = Entry(kind, offset, end, older)

    def read(self):
        """The entries that open, and the names of the others, None where nothing tells it."""
        entries, omitted = {}, []
        for name_hash, entry in self.table.items():
            if entry.kind == "delete":
                continue
            found = None
            if entry.kind == "value":
                frame = Frame(self.content, entry.offset)
                sealed = self.content[frame.offset + HEAD : frame.end - ECHO]
                found = self.keys.open_box(frame.nonce, frame.tag, sealed, name_hash)
            if found:
                entries[found[0]] = found[1]
            else:
                omitted.append(self._name(entry, name_hash))
        return entries, omitted

    def _name(self, entry, name_hash):
        for offset in (entry.offset, entry.older):
            if not offset:
                continue
            room = 6 + 1024
            if offset == entry.offset:
                room = min(room, entry.end - entry.offset - SMALLEST_FRAME)
            sealed = self.content[offset + HEAD : offset + HEAD + room]
            found = self._recover(self.content[offset + 56 : offset + 80], sealed, name_hash)
            if found is not None:
                return found
        return None

    def _recover(self, nonce, sealed, name_hash):
        if len(sealed) < 6:
            return None

        def fits(plain, length):
            name = bytes(plain[6 : 6 + length])
            return 1 <= length <= 1024 and len(name) == length and self.keys.name_hash(name) == name_hash

        plain = bytearray(peek(self.keys.value, nonce, sealed))
        stated = u(plain, 0, 2)
        for length in (stated, *range(1, 129)):
            if fits(plain, length):
                return bytes(plain[6 : 6 + length])
        if 1 <= stated <= 128:
            for place in range(6, min(6 + stated, len(plain))):
                kept = plain[place]
                for plain[place] in range(256):
                    if fits(plain, stated):
                        return bytes(plain[6 : 6 + stated])
                plain[place] = kept
        for place in range(24):
            for byte in range(256):
                changed = nonce[:place] + bytes([byte]) + nonce[place + 1 :]
                plain = peek(self.keys.value, changed, sealed[: 6 + 128])
                if fits(plain, u(plain, 0, 2)):
                    return plain[6 : 6 + u(plain, 0, 2)]
        return None
